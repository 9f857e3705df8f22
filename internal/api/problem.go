package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"

	"feedonce"
)

// problem turns an error into what the caller is told: what they can put right in a sentence, the rest in the log.
func (s *server) problem(operation string, err error) error {
	var invalid *feedonce.InvalidError
	var said huma.StatusError
	status, detail := http.StatusInternalServerError, "Something went wrong, and nothing was lost. The log of the server says what."
	switch {
	case errors.As(err, &said):
		return said
	case errors.As(err, &invalid):
		return &huma.ErrorModel{Status: http.StatusUnprocessableEntity, Title: http.StatusText(http.StatusUnprocessableEntity), Detail: sentence(invalid.Error()),
			Errors: []*huma.ErrorDetail{{Message: plain(invalid.Reason, 1000), Location: invalid.Field}}}
	case errors.Is(err, feedonce.ErrNotFound):
		// The innermost layer says what is not there: "merge entries 1 and 9: entry 9: not found".
		what := strings.Split(strings.TrimSuffix(err.Error(), ": "+feedonce.ErrNotFound.Error()), ": ")
		status, detail = http.StatusNotFound, sentence("there is no "+what[len(what)-1])
	case errors.Is(err, feedonce.ErrExists):
		status, detail = http.StatusConflict, sentence(err.Error())
	case errors.Is(err, feedonce.ErrConflict):
		status, detail = http.StatusConflict, "This was changed by somebody else at the same moment. Read it again, and decide again."
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		status, detail = http.StatusServiceUnavailable, "The request was given up before it was answered."
	default:
		s.Log.Error("a request could not be answered", "operation", operation, "error", err)
	}
	return fail(status, detail)
}

// fail is a problem with a sentence.
func fail(status int, format string, args ...any) error {
	if len(args) > 0 {
		format = fmt.Sprintf(format, args...)
	}
	return &huma.ErrorModel{Status: status, Title: http.StatusText(status), Detail: format}
}

// writeProblem writes a problem outside of any operation.
func writeProblem(w http.ResponseWriter, status int, detail string) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(status)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	// Nobody is left to tell where this cannot be written.
	_ = enc.Encode(&huma.ErrorModel{Status: status, Title: http.StatusText(status), Detail: detail})
}

// speak puts into a sentence what huma found wrong with a request.
func speak(_ huma.Context, _ string, v any) (any, error) {
	e, ok := v.(*huma.ErrorModel)
	if !ok {
		return v, nil
	}
	if first, _ := utf8.DecodeRuneInString(e.Detail); unicode.IsUpper(first) && strings.HasSuffix(e.Detail, ".") {
		return e, nil // it is one
	}
	parts := make([]string, 0, len(e.Errors))
	for _, d := range e.Errors[:min(3, len(e.Errors))] {
		place := d.Location
		if place == "" {
			place = "the request"
		}
		part := fmt.Sprintf("%s: %s", place, d.Message)
		if text, ok := d.Value.(string); ok && text != "" {
			part += fmt.Sprintf(", and is %q", plain(text, 60))
		}
		parts = append(parts, part)
	}
	detail := e.Detail
	if len(parts) > 0 {
		detail = "The request does not fit: " + strings.Join(parts, "; ")
	}
	e.Errors = e.Errors[:min(len(e.Errors), 20)]
	for _, d := range e.Errors {
		d.Value = nil // it may be as long as the request, and be anything
	}
	e.Detail = sentence(detail)
	return e, nil
}

// sentence is a text with a capital and a full stop.
func sentence(text string) string {
	text = plain(text, 2000)
	r, n := utf8.DecodeRuneInString(text)
	if n == 0 {
		return text
	}
	text = string(unicode.ToUpper(r)) + text[n:]
	if !strings.HasSuffix(text, ".") {
		text += "."
	}
	return text
}

// plain is a text of strangers on one line, without what cannot be shown, at most so many bytes.
func plain(text string, most int) string {
	text = strings.Join(strings.FieldsFunc(strings.ToValidUTF8(text, "�"), func(r rune) bool {
		return unicode.IsControl(r) || unicode.IsSpace(r)
	}), " ")
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most] + "…"
}

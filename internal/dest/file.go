package dest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"feedonce"
)

// File appends to a file, one line of JSON for each article (NDJSON). Whoever sets one up writes files with the rights of this
// program, so it is for the operator alone.
//
// A line is whole or not there: it is written with one call, to the end of the file, under a lock, and on disk before it counts
// as sent; what a crash has left of a line is ended before the next. A file does not drop copies, but each line has the
// message's key as its id, by which a reader can.
var File = &Kind{
	Name:  "file",
	About: "a file that grows by one line of JSON for each article (for operators)",
	Fields: []Field{
		{Name: "path", About: "the file with its full path, such as /var/lib/feedonce/articles.ndjson; it may be moved away at any time (logrotate)", Required: true},
	},
	Rate: feedonce.Rate{PerMinute: 6000, Burst: 1000},
	Open: openFile,
}

type fileSender struct {
	env  Env
	path string
}

func openFile(set Settings, env Env) (Sender, error) {
	if err := errOperator(env, "path"); err != nil {
		return nil, err
	}
	path := set["path"]
	if !filepath.IsAbs(path) || path != filepath.Clean(path) || bytes.IndexByte([]byte(path), 0) >= 0 {
		return nil, &feedonce.InvalidError{Field: "path", Reason: "must be the full path of a file, such as /var/lib/feedonce/articles.ndjson"}
	}
	return &fileSender{env: env, path: path}, nil
}

// lines are a message's lines: one, or of a digest one for each article, whose ids are the message's key with the entry's
// number.
func lines(m Message) ([]byte, error) {
	each := []Message{m}
	if m.Digest {
		each = nil
		for _, a := range m.Articles {
			one := m
			one.Digest, one.Articles = false, []Article{a}
			one.Key = fmt.Sprintf("%s_%d", m.Key, a.Entry)
			each = append(each, one)
		}
	}
	var b bytes.Buffer
	for _, one := range each {
		line, err := marshal(payload(one)) // without a line break: JSON escapes those within
		if err != nil {
			return nil, err
		}
		b.Write(line)
		b.WriteByte('\n')
	}
	return b.Bytes(), nil
}

func (f *fileSender) Preview(m Message) (Preview, error) {
	b, err := lines(m)
	return Preview{Type: "application/x-ndjson", Body: string(b), Headers: [][2]string{{"path", f.path}}}, err
}

func (f *fileSender) Send(ctx context.Context, m Message) Result {
	b, err := lines(m)
	if err != nil {
		return Result{Outcome: Refused, Err: err}
	}
	if err := f.append(ctx, b); err != nil {
		res := Result{Outcome: Retry, Err: err}
		var half *halfWritten
		var wrong *wrongFile
		switch {
		case errors.As(err, &half):
			res.Outcome = Unknown
		case errors.As(err, &wrong):
			res.Outcome = Gone
		}
		return res
	}
	return Result{Outcome: Sent}
}

// A halfWritten error comes after something of the message was written that could not be taken back.
type halfWritten struct{ err error }

func (h *halfWritten) Error() string { return h.err.Error() }
func (h *halfWritten) Unwrap() error { return h.err }

// A wrongFile error needs a person.
type wrongFile struct{ why string }

func (w *wrongFile) Error() string { return w.why }

func (f *fileSender) append(ctx context.Context, b []byte) error {
	file, created, err := f.open(ctx)
	if err != nil {
		return err
	}
	defer file.Close() // what matters is on disk by then
	size, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	if size > 0 {
		last := make([]byte, 1)
		if _, err := file.ReadAt(last, size-1); err != nil {
			return fmt.Errorf("reading the end of %s: %w", f.path, err)
		}
		if last[0] != '\n' {
			b = append([]byte{'\n'}, b...)
		}
	}
	if _, err := file.Write(b); err != nil {
		if terr := file.Truncate(size); terr != nil {
			return &halfWritten{fmt.Errorf("writing to %s: %w; and what was written cannot be taken back: %w", f.path, err, terr)}
		}
		return fmt.Errorf("writing to %s: %w", f.path, err)
	}
	if err := file.Sync(); err != nil {
		return &halfWritten{fmt.Errorf("it is not known whether what was written to %s is on disk: %w", f.path, err)}
	}
	if created {
		if err := syncFolder(filepath.Dir(f.path)); err != nil {
			return &halfWritten{fmt.Errorf("it is not known whether the new file %s is on disk: %w", f.path, err)}
		}
	}
	return nil
}

// open opens the file and takes its lock. It makes sure that it is still the file of that name, which may have been moved away
// while the lock was waited for.
func (f *fileSender) open(ctx context.Context) (file *os.File, created bool, err error) {
	for {
		info, err := os.Stat(f.path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			if _, err := os.Stat(filepath.Dir(f.path)); errors.Is(err, fs.ErrNotExist) {
				return nil, false, &wrongFile{fmt.Sprintf("the folder of %s is not there", f.path)}
			}
			created = true
		case err != nil:
			return nil, false, err
		case !info.Mode().IsRegular():
			return nil, false, &wrongFile{fmt.Sprintf("%s is no file that can be appended to", f.path)}
		}
		file, err := os.OpenFile(f.path, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o640)
		if errors.Is(err, fs.ErrPermission) {
			return nil, false, &wrongFile{err.Error()}
		}
		if err != nil {
			return nil, false, err
		}
		if err := lock(ctx, file); err != nil {
			file.Close()
			return nil, false, fmt.Errorf("another program holds the lock of %s: %w", f.path, err)
		}
		mine, err := file.Stat()
		if err == nil {
			if info, err := os.Stat(f.path); err == nil && os.SameFile(mine, info) {
				return file, created, nil
			}
		}
		file.Close()
		if err := ctx.Err(); err != nil {
			return nil, false, err
		}
	}
}

// lock waits for the file's lock, which ends with the file. Only locks can be waited for, not both a lock and a context.
func lock(ctx context.Context, file *os.File) error {
	const step = 5 * time.Millisecond
	timer := time.NewTimer(step)
	defer timer.Stop()
	for {
		ok, err := tryLock(file)
		if ok || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return errors.New(reason(ctx.Err()))
		case <-timer.C:
			timer.Reset(step)
		}
	}
}

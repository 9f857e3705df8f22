package web

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"
)

//go:embed assets/*
var assetFiles embed.FS

type assetFile struct {
	content []byte
	kind    string
}

// assets are the files by the name they are served under, which changes with their content: "style.1a2b3c4d.css".
// assetNames has that name by the file's own.
var assets, assetNames = func() (map[string]assetFile, map[string]string) {
	files, err := assetFiles.ReadDir("assets")
	if err != nil {
		panic(err) // they are compiled in
	}
	byName, names := map[string]assetFile{}, map[string]string{}
	for _, file := range files {
		content, err := assetFiles.ReadFile("assets/" + file.Name())
		if err != nil {
			panic(err)
		}
		sum := sha256.Sum256(content)
		ext := path.Ext(file.Name())
		name := strings.TrimSuffix(file.Name(), ext) + "." + hex.EncodeToString(sum[:6]) + ext
		kind := mime.TypeByExtension(ext)
		switch ext { // the machine's own table may be odd
		case ".css":
			kind = "text/css; charset=utf-8"
		case ".js":
			kind = "text/javascript; charset=utf-8"
		case ".svg":
			kind = "image/svg+xml"
		case ".png":
			kind = "image/png"
		}
		byName[name], names[file.Name()] = assetFile{content, kind}, name
	}
	return byName, names
}()

// assetPath returns the address of a file. One that does not exist is a fault of a template.
func assetPath(name string) string {
	served, ok := assetNames[name]
	if !ok {
		panic("no asset " + name)
	}
	return "/assets/" + served
}

func (s *server) asset(w http.ResponseWriter, r *http.Request) error {
	file, ok := assets[r.PathValue("file")]
	if !ok {
		return errNoPage
	}
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	return send(w, file)
}

func (s *server) favicon(w http.ResponseWriter, _ *http.Request) error {
	w.Header().Set("Cache-Control", "public, max-age=86400")
	return send(w, assets[assetNames["icon.svg"]])
}

func send(w http.ResponseWriter, file assetFile) error {
	w.Header().Set("Content-Type", file.kind)
	w.Header().Set("Content-Length", strconv.Itoa(len(file.content)))
	_, err := w.Write(file.content)
	return err
}

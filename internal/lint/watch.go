package lint

// What a run depends on is looked at again and again, rather than watched by the system:
// that works for any number of files, on network disks and in containers, through links and
// for editors that replace files, and needs no library. A look costs about what a search
// costs, so the pause between two is a multiple of it.

import (
	"context"
	"hash/maphash"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"skills/internal/lint/config"
	"skills/internal/loader"
)

// The pause between two looks.
const (
	minPause   = 200 * time.Millisecond
	maxPause   = 10 * time.Second
	pauseShare = 10 // times as long as a look takes
)

// maxSettling is how often a state that keeps changing is looked at before it is used.
const maxSettling = 5

// Watch calls check, and again at each change of the files that a run with the options
// depends on, until the context ends or check returns false. pause waits between two looks,
// the last of which took some time; nil is the default.
func (o Options) Watch(ctx context.Context, pause func(ctx context.Context, took time.Duration), check func() bool) error {
	if pause == nil {
		pause = defaultPause
	}
	seed := maphash.MakeSeed()
	look := func() uint64 {
		begun := time.Now()
		state := o.state(ctx, seed)
		pause(ctx, time.Since(begun))
		return state
	}
	now := o.state(ctx, seed) // before the check, so that a change during it counts
	for ctx.Err() == nil && check() {
		seen := now
		for ctx.Err() == nil && now == seen {
			now = look()
		}
		for range maxSettling { // several files are saved together
			next := look()
			if next == now {
				break
			}
			now = next
		}
	}
	return context.Cause(ctx)
}

func defaultPause(ctx context.Context, took time.Duration) {
	select {
	case <-time.After(min(max(took*pauseShare, minPause), maxPause)):
	case <-ctx.Done():
	}
}

// state returns a digest of what a run depends on: which skills it finds, and the names,
// sizes and times of their files and of the configurations.
func (o Options) state(ctx context.Context, seed maphash.Seed) uint64 {
	o.Notify, o.ChangedSince = nil, ""
	v := version{seen: map[string]bool{}}
	v.SetSeed(seed)
	for _, name := range []string{o.ConfigFile, o.Baseline} {
		if name != "" {
			v.add(o.absolute(name))
		}
	}
	paths := o.Paths
	if len(paths) == 0 {
		paths = []string{"."}
	}
	for _, p := range paths {
		v.above(o.absolute(p))
	}
	s, err := o.selection(ctx)
	if err != nil {
		v.WriteString(err.Error())
		return v.Sum64()
	}
	for _, skill := range s.skills {
		v.WriteString(skill.found.Dir + "\x00" + skill.found.File + "\x00")
		v.above(o.absolute(skill.found.Dir))
		v.below(skill.found.Real)
	}
	return v.Sum64()
}

// Digest returns a digest of what a check of the skill in a folder depends on: its files, and
// the configurations above it.
func Digest(seed maphash.Seed, dir string) uint64 {
	v := version{seen: map[string]bool{}}
	v.SetSeed(seed)
	v.above(dir)
	v.below(dir)
	return v.Sum64()
}

// version collects what distinguishes one state of files from another.
type version struct {
	maphash.Hash
	seen map[string]bool // folders whose settings were added
}

// add adds a file, following a link.
func (v *version) add(path string) {
	info, err := os.Stat(path)
	v.describe(path, info, err)
}

func (v *version) describe(path string, info fs.FileInfo, err error) {
	v.WriteString(path)
	v.WriteByte(0)
	if err != nil {
		return
	}
	maphash.WriteComparable(&v.Hash, struct {
		size, modified int64
		mode           fs.FileMode
	}{info.Size(), info.ModTime().UnixNano(), info.Mode()})
}

// above adds the configurations and ignore files of a folder and those above it, up to the
// root of the repository.
func (v *version) above(dir string) {
	top, ok := loader.Repository(dir)
	for !v.seen[dir] {
		v.seen[dir] = true
		v.add(filepath.Join(dir, config.FileName))
		v.add(filepath.Join(dir, ".gitignore"))
		if !ok || dir == top || filepath.Dir(dir) == dir {
			return
		}
		dir = filepath.Dir(dir)
	}
}

// maxWatched limits the files and folders that are looked at in one skill.
const maxWatched = 20_000

// below adds the files in a skill's folder.
func (v *version) below(dir string) {
	n := 0
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		n++
		switch {
		case n > maxWatched:
			return fs.SkipAll
		case err != nil:
			v.describe(path, nil, err)
			return nil
		case d.IsDir() && slices.Contains([]string{".git", "node_modules", "__pycache__"}, d.Name()):
			return fs.SkipDir
		case d.IsDir():
			v.WriteString(path + "/")
		case d.Type()&fs.ModeSymlink != 0:
			target, _ := os.Readlink(path)
			v.WriteString(target)
			v.add(path)
		default:
			info, err := d.Info()
			v.describe(path, info, err)
		}
		return nil
	})
}

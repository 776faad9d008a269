package files

import "context"

// TakeSmallSnapshot is TakeSnapshot with another limit of entries.
func TakeSmallSnapshot(ctx context.Context, dir string, most int) error {
	root, err := OpenFolder(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	t := snapshotTaker{root: root, most: most, found: Snapshot{}, buffer: make([]byte, 1)}
	return t.take(ctx)
}

package supervisor

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"time"
)

// pauseAfter is how long to wait after a check of all processes that took so
// long: a twentieth of the time goes into checks, but a script cannot make them
// arbitrarily rare.
func pauseAfter(took time.Duration) time.Duration {
	const share, least, longest = 20, 25 * time.Millisecond, 250 * time.Millisecond
	return min(max(least, share*took), longest)
}

// limitExceeded says which limit the descendants of a process exceed together,
// or "".
func limitExceeded(pid int, l Limits) string {
	pids, threads := countDescendants(pid, l)
	if l.Processes > 0 && len(pids) > l.Processes {
		return fmt.Sprintf("more than %d processes", l.Processes)
	}
	if l.Processes > 0 && threads > l.Processes*threadsPerProcess {
		return fmt.Sprintf("more than %d threads", l.Processes*threadsPerProcess)
	}
	if l.Memory == 0 {
		return ""
	}
	// The cheaper measures never yield less than the more exact ones.
	for _, measure := range []func(pid int) uint64{resident, anonymous, proportional} {
		var bytes uint64
		for _, pid := range pids {
			bytes += measure(pid)
		}
		if bytes <= l.Memory {
			return ""
		}
	}
	return fmt.Sprintf("more than %d MiB of memory", l.Memory>>20)
}

// resident is the memory of a process, files that it has mapped among it.
func resident(pid int) uint64 {
	fields := bytes.Fields(contents("/proc/" + strconv.Itoa(pid) + "/statm"))
	if len(fields) < 2 {
		return 0
	}
	pages, _ := strconv.ParseUint(string(fields[1]), 10, 64)
	return pages * uint64(os.Getpagesize())
}

// anonymous is the memory of a process without files: its own, and what it
// shares with others.
func anonymous(pid int) uint64 {
	bytes, _ := sizes("/proc/"+strconv.Itoa(pid)+"/status", "RssAnon:", "RssShmem:")
	return bytes
}

// proportional is the same with what is shared divided among those who share it,
// if the kernel says so.
func proportional(pid int) uint64 {
	if bytes, ok := sizes("/proc/"+strconv.Itoa(pid)+"/smaps_rollup", "Pss_Anon:", "Pss_Shmem:"); ok {
		return bytes
	}
	return anonymous(pid)
}

// sizes adds up the lines of a kernel file that begin with the names. ok says
// that all of them were found.
func sizes(path string, names ...string) (total uint64, ok bool) {
	found := 0
	for line := range bytes.Lines(contents(path)) {
		fields := bytes.Fields(line)
		if len(fields) < 2 {
			continue
		}
		for _, name := range names {
			if string(fields[0]) == name {
				kibibytes, _ := strconv.ParseUint(string(fields[1]), 10, 64)
				total += kibibytes << 10
				found++
			}
		}
	}
	return total, found == len(names)
}

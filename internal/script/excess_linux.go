package script

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"time"
)

// pauseAfter is how long to wait after a look at all processes that took so
// long: a twentieth of the time goes into looking, but nobody can make us look
// away.
func pauseAfter(took time.Duration) time.Duration {
	const share, least, longest = 20, 25 * time.Millisecond, 250 * time.Millisecond
	return min(max(least, share*took), longest)
}

// excess says which limit the descendants of a process have gone beyond
// together, or "".
func excess(pid int, l limits) string {
	pids, threads := census(pid, l)
	if l.Processes > 0 && len(pids) > l.Processes {
		return fmt.Sprintf("more than %d processes", l.Processes)
	}
	if l.Processes > 0 && threads > l.Processes*threadsPerProcess {
		return fmt.Sprintf("more than %d threads", l.Processes*threadsPerProcess)
	}
	if l.Memory == 0 {
		return ""
	}
	// What is found out faster is never less than what is found out slower.
	for _, measure := range []func(pid int) uint64{resident, unfiled, proportional} {
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

// unfiled is the memory of a process without files: its own, and what it shares
// with others.
func unfiled(pid int) uint64 {
	bytes, _ := sizes("/proc/"+strconv.Itoa(pid)+"/status", "RssAnon:", "RssShmem:")
	return bytes
}

// proportional is the same with what is shared divided among those who share it,
// where that can be found out.
func proportional(pid int) uint64 {
	if bytes, ok := sizes("/proc/"+strconv.Itoa(pid)+"/smaps_rollup", "Pss_Anon:", "Pss_Shmem:"); ok {
		return bytes
	}
	return unfiled(pid)
}

// sizes adds up the lines of a file of the kernel's that begin with the names. ok
// says that all of them are there.
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

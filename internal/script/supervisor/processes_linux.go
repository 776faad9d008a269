package supervisor

// The processes of a script as /proc shows them: which they are, how to kill them,
// and what they use. A process can start others while it is looked at, and its
// number can be reused once it has been collected. So killing stops all of them
// first and repeats, and nothing is killed by a number that may be another's.
// Memory is estimated first, never too low, and measured only if the estimate is
// over the limit, because measuring takes long.

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

type process struct {
	pid, parent, session, threads int

	thread   int    // one that has not ended: the entries of others in /proc are empty
	resident uint64 // bytes, including mapped files
	virtual  uint64 // bytes of addresses
	ended    bool   // the first thread has ended
	dead     bool   // all have, and it is not yet collected
}

// readProcess reads one process; ok is false if it does not exist.
func readProcess(pid int) (p process, ok bool) {
	p, ok = readStat(pid)
	p.dead = ok && p.ended && p.threads < 2
	if !p.ended || p.dead {
		return p, ok
	}
	// Its first thread has ended, but others use memory and files.
	threads, _ := os.ReadDir("/proc/" + strconv.Itoa(pid) + "/task")
	for _, entry := range threads {
		thread, _ := strconv.Atoi(entry.Name())
		if other, found := readStat(thread); found && !other.ended {
			p.thread, p.resident, p.virtual = thread, other.resident, other.virtual
			return p, ok
		}
	}
	return p, ok
}

// readStat reads one thread of a process, the first one if its number is that of the
// process.
func readStat(pid int) (p process, ok bool) {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return p, false
	}
	// pid (name) state …; the name may contain anything.
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 22 {
		return p, false
	}
	number := func(field int) int {
		n, _ := strconv.Atoi(string(fields[field-3])) // numbered as in proc(5)
		return n
	}
	return process{
		pid: pid, parent: number(4), session: number(6), threads: number(20), thread: pid,
		resident: uint64(max(0, number(24))) * uint64(os.Getpagesize()), virtual: uint64(max(0, number(23))), ended: bytes.ContainsAny(fields[0], "ZXx"),
	}, true
}

// processes returns all processes; those created meanwhile may be missing.
func processes() []process {
	entries, _ := os.ReadDir("/proc")
	var found []process
	for _, entry := range entries {
		if pid, err := strconv.Atoi(entry.Name()); err == nil {
			if p, ok := readProcess(pid); ok {
				found = append(found, p)
			}
		}
	}
	return found
}

// descendants returns the descendants of a process, parents first.
func descendants(pid int) []process {
	children := map[int][]process{}
	for _, p := range processes() {
		children[p.parent] = append(children[p.parent], p)
	}
	found := children[pid]
	// If /proc is mounted with hidepid, a process can hide its own folder there,
	// but not its number in its parent's.
	for _, child := range listedChildren(pid) {
		if !slices.ContainsFunc(found, func(p process) bool { return p.pid == child }) {
			found = append(found, process{pid: child, parent: pid, thread: child})
		}
	}
	for i := 0; i < len(found); i++ {
		found = append(found, children[found[i].pid]...)
	}
	return found
}

// listedChildren returns the children that the kernel lists for a process.
func listedChildren(pid int) (found []int) {
	lists, _ := filepath.Glob("/proc/" + strconv.Itoa(pid) + "/task/*/children")
	for _, list := range lists {
		content, _ := os.ReadFile(list)
		for field := range bytes.FieldsSeq(content) {
			if child, err := strconv.Atoi(string(field)); err == nil {
				found = append(found, child)
			}
		}
	}
	return found
}

// killDescendants kills the descendants of this process. It stops them first,
// so that they cannot start children meanwhile.
func killDescendants() {
	found := descendants(os.Getpid())
	for _, signal := range []syscall.Signal{syscall.SIGSTOP, syscall.SIGKILL} {
		for _, p := range found {
			syscall.Kill(p.pid, signal)
		}
	}
}

// killSession kills a process group and all other processes in the session with
// the same number: a shell with job control and timeout(1) create groups for
// their children. Children may start meanwhile, so it repeats until nothing is
// left, up to a limit.
func killSession(id int) {
	const rounds = 20
	for range rounds {
		syscall.Kill(-id, syscall.SIGKILL)
		left := false
		for _, p := range processes() {
			if p.session == id && !p.dead {
				left = true
				killMember(p.pid, id)
			}
		}
		if !left {
			return
		}
	}
}

// killMember kills a process if it is still in the session. It uses a process
// descriptor, because the number may be reused.
func killMember(pid, session int) {
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil { // the process is gone, or the kernel has no process descriptors
		syscall.Kill(pid, syscall.SIGKILL)
		return
	}
	defer unix.Close(fd)
	if p, ok := readProcess(pid); ok && p.session == session {
		unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0)
	}
}

// attributes gives a command its own session: a process group that can be
// killed as a whole, and no terminal. The command dies with the thread that
// started it, so that it does not outlive a killed runner.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
}

// awaitDead waits for a child's end without collecting it; false if that fails.
func awaitDead(pid int) bool {
	for {
		if err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil); err != unix.EINTR {
			return err == nil
		}
	}
}

// pauseAfter returns how long to wait after a check of all processes with the
// given duration: checks take a twentieth of the time, but a script cannot make
// them arbitrarily rare.
func pauseAfter(took time.Duration) time.Duration {
	const share, least, longest = 20, 25 * time.Millisecond, 250 * time.Millisecond
	return min(max(least, share*took), longest)
}

// limitExceeded returns the limit that the descendants of a process exceed, or
// "". inMemory says that they have file systems in memory of their own.
func limitExceeded(pid int, l Limits, inMemory bool) string {
	found := descendants(pid)
	threads, resident, virtual, memory := 0, uint64(0), uint64(0), uint64(0)
	if inMemory {
		memory = filesInMemory(found)
	}
	for _, p := range found {
		threads, resident, virtual = threads+p.threads, resident+p.resident, virtual+p.virtual
	}
	if len(found) > l.Processes {
		return fmt.Sprintf("more than %d processes", l.Processes)
	}
	if threads > l.Processes*threadsPerProcess {
		return fmt.Sprintf("more than %d threads", l.Processes*threadsPerProcess)
	}
	memory += pageTables(found, virtual, l.Memory-min(l.Memory, resident+memory))
	memory += buffers(found, l.Open, l.Memory-min(l.Memory, resident+memory))
	if resident+memory <= l.Memory { // the exact measure is never larger
		return ""
	}
	for _, p := range found {
		memory += privateMemory(p.thread)
	}
	if memory <= l.Memory {
		return ""
	}
	return fmt.Sprintf("more than %d MiB of memory", l.Memory>>20)
}

// pageTables returns the memory in which the kernel keeps what the addresses of processes
// refer to. A process can use much of it with next to none of its own, by reading
// addresses to which nothing was ever written. virtual is the size of all addresses. A
// result of at most room is an estimate, which is never too small.
func pageTables(found []process, virtual, room uint64) (total uint64) {
	const share, least = 256, 64 << 10 // one of 512 bytes, with the tables of tables; of each process
	if most := virtual/share + uint64(len(found))*least; most <= room {
		return most
	}
	for _, p := range found {
		total += sizes("/proc/"+strconv.Itoa(p.thread)+"/status", "VmPTE:")
	}
	return total
}

// filesInMemory returns the size of the files in the file systems in memory that
// bubblewrap makes for its processes, with what the kernel keeps about each file. Parts
// that a process maps count there, too.
func filesInMemory(found []process) (total uint64) {
	const memory = 0x01021994 // TMPFS_MAGIC
	const perFile = 1280      // its inode and its name
	for _, path := range []string{"/tmp", "/dev/shm"} {
		var ours unix.Stat_t
		unix.Stat(path, &ours)
		for _, p := range slices.Backward(found) { // the last one is inside
			at := "/proc/" + strconv.Itoa(p.pid) + "/root" + path
			var stat unix.Stat_t
			var size unix.Statfs_t
			if unix.Stat(at, &stat) != nil || stat.Dev == ours.Dev {
				continue
			}
			if unix.Statfs(at, &size) != nil || size.Type != memory {
				continue
			}
			total += (size.Blocks-size.Bfree)*uint64(size.Bsize) + (size.Files-size.Ffree)*perFile
			break
		}
	}
	return total
}

// privateMemory returns the memory of a process without mapped files. Shared
// memory is divided among its users, if the kernel provides that.
func privateMemory(pid int) uint64 {
	dir := "/proc/" + strconv.Itoa(pid)
	if bytes := sizes(dir+"/smaps_rollup", "Pss_Anon:", "Pss_Shmem:"); bytes > 0 {
		return bytes
	}
	return sizes(dir+"/status", "RssAnon:", "RssShmem:")
}

// sizes returns the sum of the lines of a kernel file that begin with the
// names.
func sizes(path string, names ...string) (total uint64) {
	content, _ := os.ReadFile(path)
	for line := range bytes.Lines(content) {
		fields := bytes.Fields(line)
		if len(fields) > 1 && slices.Contains(names, string(fields[0])) {
			kibibytes, _ := strconv.ParseUint(string(fields[1]), 10, 64)
			total += kibibytes << 10
		}
	}
	return total
}

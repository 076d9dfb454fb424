//go:build amd64 || arm64

package broker

import (
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/launcher/seccomp"
)

// objects is the customer for memory, semaphores and queues that have a number or a key, which all
// programs of this machine share (System V). With a namespace a run has its own. Without, the
// broker makes each object and knows it by its number: keys of the run lead to these alone, and
// all others do not exist for it. Numbers are in registers, so the kernel may go on with one of the
// run's. What is left is removed when the run ends.
type objects struct {
	mu    sync.Mutex
	kinds [3]objectKind
}

// An objectKind is what a run has of one kind.
type objectKind struct {
	keys  map[int32]int32  // key to number
	sizes map[int32]uint64 // number to size
}

// The kinds of System V objects.
const (
	segments = iota
	semaphores
	messages
)

// kindsOfObjects are the calls and commands by which a kind is made and controlled.
var kindsOfObjects = [...]struct {
	get, control    uintptr
	size, flags     int // of get; size -1 is none
	command         int // of control
	first, last     uint32
	buffer, private uint32
}{
	segments: {unix.SYS_SHMGET, unix.SYS_SHMCTL, 1, 2, 1, shmLock, shmUnlock, 2,
		shmNoReserve},
	semaphores: {unix.SYS_SEMGET, unix.SYS_SEMCTL, 1, 2, 2, semGetPID, semSetAll, 3, 0},
	messages:   {unix.SYS_MSGGET, unix.SYS_MSGCTL, -1, 1, 1, 1, 0, 2, 0},
}

// Commands and flags that package unix has not.
const (
	shmLock, shmUnlock   = 11, 12
	semGetPID, semSetAll = 11, 17
	shmNoReserve         = 0o10000
	shmHuge              = 0o4000
)

// An objectCall is one system call about objects.
type objectCall struct {
	nr   uint32
	kind int
	act  func(o *objects, c *call, kind int)
}

var objectCalls = []objectCall{
	{unix.SYS_SHMGET, segments, (*objects).get},
	{unix.SYS_SHMAT, segments, (*objects).use},
	{unix.SYS_SHMCTL, segments, (*objects).control},
	{unix.SYS_SEMGET, semaphores, (*objects).get},
	{unix.SYS_SEMOP, semaphores, (*objects).use},
	{unix.SYS_SEMTIMEDOP, semaphores, (*objects).use},
	{unix.SYS_SEMCTL, semaphores, (*objects).control},
	{unix.SYS_MSGGET, messages, (*objects).get},
	{unix.SYS_MSGSND, messages, (*objects).use},
	{unix.SYS_MSGRCV, messages, (*objects).use},
	{unix.SYS_MSGCTL, messages, (*objects).control},
}

// objectRules refuse all of it where the broker cannot answer, as a kernel without it does.
func objectRules(p *Profile, answered bool) []seccomp.Rule {
	if !p.Shared {
		return nil
	}
	v := seccomp.Ask
	if !answered {
		v = seccomp.Errno(unix.ENOSYS)
	}
	list := make([]seccomp.Rule, len(objectCalls))
	for i, c := range objectCalls {
		list[i] = seccomp.On(c.nr, v)
	}
	return list
}

func objectNumbers(yield func(uint32) bool) {
	for _, c := range objectCalls {
		yield(c.nr)
	}
}

func openObjects(p *Profile, _ *run) customer {
	if !p.Shared {
		return nil
	}
	return &objects{}
}

func (o *objects) answer(c *call) {
	i := 0
	for objectCalls[i].nr != uint32(c.Nr) {
		i++
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	objectCalls[i].act(o, c, objectCalls[i].kind)
}

// maxObjects bounds what a run has of each kind.
const maxObjects = 512

// get is shmget(2) and its like.
func (o *objects) get(c *call, kind int) {
	k, what := &o.kinds[kind], &kindsOfObjects[kind]
	key, flags, size := int32(c.Args[0]), uint32(c.Args[what.flags]), uint64(0)
	if what.size >= 0 {
		size = c.Args[what.size]
	}
	id, known := k.keys[key]
	if known && !exists(kind, id) { // another program has removed it
		k.forget(id)
		known = false
	}
	switch {
	case known && flags&unix.IPC_CREAT != 0 && flags&unix.IPC_EXCL != 0:
		c.reply(unix.EEXIST)
	case known && size > k.sizes[id]:
		c.reply(unix.EINVAL)
	case known:
		c.result(int(id), nil)
	case key != unix.IPC_PRIVATE && flags&unix.IPC_CREAT == 0:
		c.reply(unix.ENOENT)
	case kind == segments && flags&shmHuge != 0:
		c.reply(unix.EPERM)
	default:
		c.result(k.make(kind, key, size, flags))
	}
}

// make makes an object that has no key on this machine.
func (k *objectKind) make(kind int, key int32, size uint64, flags uint32) (int, error) {
	if len(k.sizes) >= maxObjects {
		for id := range k.sizes {
			if !exists(kind, id) {
				k.forget(id)
			}
		}
	}
	if len(k.sizes) >= maxObjects {
		return 0, unix.ENOSPC
	}
	what := &kindsOfObjects[kind]
	args := [3]uintptr{0: unix.IPC_PRIVATE}
	if what.size >= 0 {
		args[what.size] = uintptr(size)
	}
	args[what.flags] = uintptr(flags & (0o777 | what.private))
	number, _, errno := unix.RawSyscall(what.get, args[0], args[1], args[2])
	if errno != 0 {
		return 0, errno
	}
	id := int32(number)
	if k.sizes == nil {
		k.sizes, k.keys = map[int32]uint64{}, map[int32]int32{}
	}
	k.sizes[id] = size
	if key != unix.IPC_PRIVATE {
		k.keys[key] = id
	}
	return int(id), nil
}

// use is for calls that name an object by its number.
func (o *objects) use(c *call, kind int) {
	if _, own := o.kinds[kind].sizes[int32(c.Args[0])]; !own {
		c.reply(unix.EINVAL)
		return
	}
	c.proceed()
}

// control is shmctl(2) and its like. Some commands look for any object of the machine, by its place
// in a table.
func (o *objects) control(c *call, kind int) {
	k, what := &o.kinds[kind], &kindsOfObjects[kind]
	command, id := uint32(c.Args[what.command]), int32(c.Args[0])
	_, own := k.sizes[id]
	switch {
	case command == ipcInfo:
		c.proceed()
	case !own || command > ipcInfo && (command < what.first || command > what.last):
		c.reply(unix.EINVAL)
	case command == unix.IPC_RMID:
		err := remove(kind, id)
		k.unlink(id)
		if err != nil || !exists(kind, id) { // its holder may still pass a segment on
			k.forget(id)
		}
		c.reply(err)
	default:
		c.proceed()
	}
}

// ipcInfo returns the limits of a kind.
const ipcInfo = 3

func (k *objectKind) unlink(id int32) {
	for key, other := range k.keys {
		if other == id {
			delete(k.keys, key)
		}
	}
}

func (k *objectKind) forget(id int32) {
	k.unlink(id)
	delete(k.sizes, id)
}

// exists reports whether an object is there still.
func exists(kind int, id int32) bool {
	var about [32]uint64 // more than any of the kernel's structures
	return ctl(kind, id, unix.IPC_STAT, unsafe.Pointer(&about)) == nil
}

func remove(kind int, id int32) error { return ctl(kind, id, unix.IPC_RMID, nil) }

func ctl(kind int, id int32, command uint32, about unsafe.Pointer) error {
	what := &kindsOfObjects[kind]
	args := [4]uintptr{0: uintptr(id)}
	args[what.command], args[what.buffer] = uintptr(command), uintptr(about)
	_, _, errno := unix.RawSyscall6(what.control, args[0], args[1], args[2], args[3], 0, 0)
	if errno != 0 {
		return errno
	}
	return nil
}

// close removes what the run has left.
func (o *objects) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for kind := range o.kinds {
		for id := range o.kinds[kind].sizes {
			_ = remove(kind, id)
		}
		o.kinds[kind] = objectKind{}
	}
}

package state

import "golang.org/x/sys/unix"

// remoteKinds are file systems whose files may be on another machine. Those of FUSE may be.
var remoteKinds = map[int64]string{unix.NFS_SUPER_MAGIC: "nfs", unix.SMB_SUPER_MAGIC: "smb",
	unix.SMB2_SUPER_MAGIC: "smb", unix.CIFS_SUPER_MAGIC: "cifs", unix.V9FS_MAGIC: "9p",
	unix.CEPH_SUPER_MAGIC: "ceph", unix.AFS_SUPER_MAGIC: "afs", unix.CODA_SUPER_MAGIC: "coda",
	unix.FUSE_SUPER_MAGIC: "fuse"}

// Remote is the kind of the file system that the state directory is on, if its files may be on
// another machine; "" if not.
func (h Home) Remote() string {
	var st unix.Statfs_t
	if unix.Statfs(h.Dir, &st) != nil {
		return ""
	}
	return remoteKinds[int64(st.Type)]
}

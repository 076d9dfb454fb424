package etcd

import clientv3 "go.etcd.io/etcd/client/v3"

// unchanged is the guard of every commit: no other one came after the one that made revision mod.
func (b *DB) unchanged(mod int64) clientv3.Cmp {
	return clientv3.Compare(clientv3.ModRevision(b.o.headKey()), "=", mod)
}

// nothing is the guard of the first commit: no key begins with the prefix.
func (b *DB) nothing() clientv3.Cmp {
	return clientv3.Compare(clientv3.CreateRevision(b.o.Prefix+"/"), "=", 0).WithPrefix()
}

func (b *DB) putHead(h head) clientv3.Op {
	return clientv3.OpPut(b.o.headKey(), string(h.encode(b.key, b.o.Prefix)))
}

// sameHead writes the head again as it is.
func (b *DB) sameHead() clientv3.Op {
	h, _, _ := b.read()
	return b.putHead(h)
}

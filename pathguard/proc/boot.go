package proc

import "sync"

// BootID identifies this boot of the machine; "" if it is not known.
var BootID = sync.OnceValue(bootID)

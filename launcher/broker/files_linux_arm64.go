package broker

// legacyFiles are calls that this architecture never had.
var legacyFiles []fileCall

const legacyOpen, legacyAccess = ^uint32(0), ^uint32(1)

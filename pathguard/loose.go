package pathguard

// maxListed bounds one listing of a directory. Names in a larger one are asked for one by
// one: there are only a few hundred that anybody asks for.
const maxListed = 4096

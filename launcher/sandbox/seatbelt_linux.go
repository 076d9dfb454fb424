package sandbox

// rssUnit is how many bytes a unit of ru_maxrss is.
const rssUnit = 1 << 10

// sessionOf returns nothing: here only tests start what Seatbelt would.
func sessionOf(int) []int { return nil }

package code

func grammarOf(lang string) *grammar {
	switch lang {
	case "python":
		return python()
	case "javascript":
		return javascript()
	case "perl":
		return perl()
	case "ruby":
		return ruby()
	}
	return nil
}

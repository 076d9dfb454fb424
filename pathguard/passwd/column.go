package passwd

// The columns of /etc/passwd that are asked for; see passwd(5).
const (
	passwdName = 0
	passwdUID  = 2
	passwdHome = 5
)

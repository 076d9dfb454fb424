package command

import "testing"

// The machine's credentials are behind an address, however it is written.
func TestMetadataHost(t *testing.T) {
	for _, host := range []string{
		"169.254.169.254", "169.254.169.254.", "2852039166", "0xa9fea9fe", "0xA9.0xFE.0xA9.0xFE",
		"0251.0376.0251.0376", "169.254.43518", "169.16689662", "169.254.170.23", "169.254.170.2",
		"::ffff:169.254.169.254", "[::ffff:a9fe:a9fe]", "64:ff9b::a9fe:a9fe", "2002:a9fe:a9fe::1",
		"::ffff:0:a9fe:a9fe", "::169.254.169.254", "fd00:ec2::254", "FD00:EC2:0::254%eth0",
		"metadata", "Metadata.Google.Internal.", "100.100.100.200", "0x64.100.25800",
	} {
		if !isMetadata(host) {
			t.Errorf("%q is not known", host)
		}
	}
	for _, host := range []string{
		"", ".", "169.254.169.253", "1.2.3.4", "2852039165", "0xa9fea9ff", "169.254.169.254.nip.io",
		"metadata.example", "169.254.169.254.1", "4294967296", "169.254.65536", "256.254.169.254",
		"0b1010", "0o1", "1_0.1", "-1", "fd00:ec2::253", "::", "64:ff9b::1", "a.b.c.d",
	} {
		if isMetadata(host) {
			t.Errorf("%q is taken for one", host)
		}
	}
}

package ship

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/tada-run/tada-run/integration/served"
)

// A real server whose disk is full: what was shipped before is proven as before, the error names
// the bucket, and when there is room again the rest is shipped.
func TestFullDisk(t *testing.T) {
	if os.Getenv("TEST_SERVERS") == "" {
		t.Skip("TEST_SERVERS is not set: to build the server takes a minute")
	}
	t.Parallel()
	url := served.StartSmallS3(t, "4m")
	client, err := minio.New(strings.TrimPrefix(url, "http://"), &minio.Options{
		Creds: credentials.NewStaticV4(served.S3Key, served.S3Secret, "")})
	if err != nil {
		t.Fatal(err)
	}
	if err := client.MakeBucket(t.Context(), bucketName, minio.MakeBucketOptions{}); err != nil {
		t.Fatal(err)
	}
	v := versity{t, "", client}
	v.Put("filler", make([]byte, 2<<20))
	m := newBedOn(t, url, v).member()
	m.run("one", false)
	m.ship()
	before := m.proven().Report
	full := false
	for i := 0; !full; i++ {
		if i == 40 {
			t.Fatal("everything fits")
		}
		m.run(fmt.Sprint(rand.Perm(40_000)), false)
		_, _, err := m.shipper().Once(context.Background())
		if full = err != nil; full {
			t.Log(err)
			if !strings.Contains(err.Error(), bucketName) {
				t.Errorf("it does not name the bucket: %v", err)
			}
			continue
		}
		before = m.proven().Report
	}
	if f, err := m.verify(m.ID); err != nil || f.Report.Head != before.Head {
		t.Errorf("while it is full: %+v, %v", f, err)
	}
	v.Remove("filler")
	m.ship()
	m.proven()
}

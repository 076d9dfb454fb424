package registrar

import (
	"context"
	"errors"
	"fmt"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/tada-run/tada-run/integration/fleet/document"
	"github.com/tada-run/tada-run/integration/fleet/keyspace"
)

// The roles that machines share.
const (
	memberRole = "tada-member" // reads the documents
	peopleRole = "tada-people" // reads what all machines ask, and answers
)

// A right is a range of keys and what may be done there.
type right struct {
	prefix string
	may    clientv3.PermissionType
}

const (
	mayRead  = clientv3.PermissionType(clientv3.PermRead)
	mayWrite = clientv3.PermissionType(clientv3.PermWrite)
	mayBoth  = clientv3.PermissionType(clientv3.PermReadWrite)
)

// shared are the rights of the roles that machines share. Freezes can be ordered, and the fleet
// document and the policy replaced, from any machine at which people answer: what is stored counts
// only with the signatures that it needs.
var shared = map[string][]right{
	memberRole: {
		{keyspace.Fleet, mayRead}, {keyspace.Machines, mayRead}, {keyspace.Freezes, mayRead},
		{keyspace.Thaws, mayRead}, {keyspace.Bundles, mayRead}, {keyspace.Agents, mayRead},
		{keyspace.Checkpoints, mayWrite}, {keyspace.Cosigned, mayRead},
	},
	peopleRole: {
		{keyspace.Fleet, mayBoth}, {keyspace.Tokens, mayWrite}, {keyspace.Freezes, mayBoth},
		{keyspace.Thaws, mayBoth}, {keyspace.Questions, mayRead}, {keyspace.Answers, mayWrite},
		{keyspace.Outcomes, mayRead}, {keyspace.Seen, mayRead}, {keyspace.Bundles, mayBoth},
	},
}

// own are the prefixes below which a machine reads and writes what belongs to it.
var own = []string{keyspace.States, keyspace.Agents, keyspace.Seen, keyspace.Questions,
	keyspace.Answers, keyspace.Outcomes, keyspace.Checkpoints, keyspace.Cosigned}

// ownRights are the rights of the role that one machine has.
func ownRights(id string) (rights []right) {
	for _, prefix := range own {
		rights = append(rights, right{keyspace.Below(prefix, id), mayBoth})
	}
	return rights
}

// prepareAuth makes the roles that machines share, and turns access control on. It does what is
// missing, so it may be called again.
func prepareAuth(ctx context.Context, c *clientv3.Client) error {
	for role, rights := range shared {
		if err := makeRole(ctx, c, role, rights); err != nil {
			return err
		}
	}
	if err := makeUser(ctx, c, rootUser, rootUser); err != nil {
		return err
	}
	if _, err := c.AuthEnable(ctx); err != nil {
		return fmt.Errorf("turning on the access control of etcd: %w", err)
	}
	return nil
}

// admit makes the user of a machine.
func admit(ctx context.Context, c *clientv3.Client, id string, people bool) error {
	roles := []string{id, memberRole}
	if people {
		roles = append(roles, peopleRole)
	}
	if err := makeRole(ctx, c, id, ownRights(id)); err != nil {
		return err
	}
	if err := makeUser(ctx, c, id, roles...); err != nil || people {
		return err
	}
	// an earlier attempt, with another invitation, may have got as far as this
	_, err := c.UserRevokeRole(ctx, id, peopleRole)
	if errors.Is(err, rpctypes.ErrRoleNotGranted) {
		err = nil
	}
	return err
}

// widen gives machines that an earlier version let in the rights that members have by now.
func widen(ctx context.Context, c *clientv3.Client) error {
	roles, err := c.RoleList(ctx)
	if err != nil {
		return err
	}
	for _, id := range roles.Roles {
		if !document.IsMachineID(id) {
			continue
		}
		role, err := c.RoleGet(ctx, id)
		if errors.Is(err, rpctypes.ErrRoleNotFound) {
			continue // it was expelled meanwhile
		}
		if err == nil && len(role.Perm) < len(own) {
			err = makeRole(ctx, c, id, ownRights(id))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// expel removes the user of a machine, whose connections are refused from then on. What is not the
// id of a machine may be the name of a role that all machines share.
func expel(ctx context.Context, c *clientv3.Client, id string) error {
	if !document.IsMachineID(id) {
		return fmt.Errorf("%q is not the id of a machine", id)
	}
	_, err := c.UserDelete(ctx, id)
	if err != nil && !errors.Is(err, rpctypes.ErrUserNotFound) {
		return fmt.Errorf("removing user %q of etcd: %w", id, err)
	}
	if _, err := c.RoleDelete(ctx, id); err != nil && !errors.Is(err, rpctypes.ErrRoleNotFound) {
		return fmt.Errorf("removing role %q of etcd: %w", id, err)
	}
	return nil
}

func makeRole(ctx context.Context, c *clientv3.Client, role string, rights []right) error {
	if _, err := c.RoleAdd(ctx, role); err != nil && !errors.Is(err, rpctypes.ErrRoleAlreadyExist) {
		return fmt.Errorf("making role %q of etcd: %w", role, err)
	}
	for _, r := range rights {
		end := clientv3.GetPrefixRangeEnd(r.prefix)
		if _, err := c.RoleGrantPermission(ctx, role, r.prefix, end, r.may); err != nil {
			return fmt.Errorf("making role %q of etcd: %w", role, err)
		}
	}
	return nil
}

// makeUser makes a user without a password, who is known by a certificate alone.
func makeUser(ctx context.Context, c *clientv3.Client, user string, roles ...string) error {
	_, err := c.UserAddWithOptions(ctx, user, "", &clientv3.UserAddOptions{NoPassword: true})
	if err != nil && !errors.Is(err, rpctypes.ErrUserAlreadyExist) {
		return fmt.Errorf("making user %q of etcd: %w", user, err)
	}
	for _, role := range roles {
		if role == rootUser {
			_, err := c.RoleAdd(ctx, rootUser)
			if err != nil && !errors.Is(err, rpctypes.ErrRoleAlreadyExist) {
				return fmt.Errorf("making role %q of etcd: %w", role, err)
			}
		}
		if _, err := c.UserGrantRole(ctx, user, role); err != nil {
			return fmt.Errorf("giving user %q of etcd its role %q: %w", user, role, err)
		}
	}
	return nil
}

package launcher

import (
	"context"

	"github.com/tada-run/tada-run/launcher/permit"
	"github.com/tada-run/tada-run/launcher/refusal"
	"github.com/tada-run/tada-run/launcher/sandbox"
)

// endedRun is a run of which nothing is there but the judgement and the end.
func endedRun(j *Judgement, status sandbox.Status) *ended {
	s := &started{
		permitted: permitted{&announced{attempt: &attempt{Judgement: j}}, &permit.Authority{}},
		console:   &console{out: &outlet{tee: &tee{}}},
	}
	return &ended{supervision: &supervision{started: s}, status: status}
}

// permitAll lets everything run, as policy does.
func permitAll(context.Context, *attempt) (*permit.Authority, *refusal.Refusal, error) {
	return &permit.Authority{}, nil, nil
}

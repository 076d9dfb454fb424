package launcher

import (
	"fmt"

	"github.com/tada-run/tada-run/launcher/state"
	"github.com/tada-run/tada-run/pathguard"
)

// bundleLayer begins the name of a bundle as a source of settings.
const bundleLayer = "fleet: "

// configOf is a bundle as a configuration.
func configOf(b state.Bundle) pathguard.ConfigFile {
	return pathguard.ConfigFile{Path: fmt.Sprintf("%s%s version %d", bundleLayer, b.Name,
		b.Version), Layer: pathguard.FleetLayer, Draft: append([]byte{}, b.Text...)}
}

// configsOf are bundles as configurations.
func configsOf(list []state.Bundle) (files []pathguard.ConfigFile) {
	for _, b := range list {
		files = append(files, configOf(b))
	}
	return files
}

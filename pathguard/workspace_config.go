package pathguard

import "path/filepath"

// WorkspaceConfig is the file in which a workspace says what is stricter there.
func WorkspaceConfig(root string) ConfigFile {
	return ConfigFile{Path: filepath.Join(root, ".tada", "config.yaml"), Layer: WorkspaceLayer,
		Root: root}
}

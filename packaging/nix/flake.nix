# Built from source: nix run "git+file:///PATH/OF/THIS/REPOSITORY?dir=packaging/nix"
{
  description = "Judges, asks about, sandboxes and records an AI agent's commands";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs = { self, nixpkgs }:
    let each = nixpkgs.lib.genAttrs [ "x86_64-linux" "aarch64-linux" ];
    in {
      packages = each (system:
        let pkgs = nixpkgs.legacyPackages.${system};
        in {
          default = pkgs.buildGo126Module {
            pname = "tada-run";
            version = "0-unstable-${self.lastModifiedDate or "0"}";
            src = ../..;
            # of go mod vendor; a test computes it again
            vendorHash = "sha256-GPes40tkdmESiugVFdDqRhKW7heRypIbkymSi94Jf8E=";
            subPackages = [ "cmd/tada-run" "cmd/tadactl" ];
            env.CGO_ENABLED = 0;
            ldflags = [ "-s" "-w" ];
            # they use the real kernel and a terminal, which a build has not
            doCheck = false;
            nativeBuildInputs = [ pkgs.installShellFiles ];
            postInstall = ''
              $out/bin/tadactl man man
              $out/bin/tada-run --help | $out/bin/tadactl man - >man/tada-run.1
              installManPage man/*
              $out/bin/tadactl completion zsh >all
              sed -n '/^#compdef tadactl/,/^whence/{/^whence/!p}' all >_tadactl
              sed -n '/^#compdef tada-run/,$p' all >_tada-run
              installShellCompletion --zsh _tadactl _tada-run
              for program in tadactl tada-run; do
                installShellCompletion --cmd $program \
                  --bash <($out/bin/tadactl completion bash) \
                  --fish <($out/bin/tadactl completion fish)
              done
            '';
            meta = {
              license = pkgs.lib.licenses.asl20;
              mainProgram = "tada-run";
              platforms = pkgs.lib.platforms.linux;
            };
          };
        });
    };
}

class TadaRun < Formula
  desc "Judges, asks about, sandboxes and records an AI agent's commands"
  homepage "@{HOMEPAGE}"
  version "@{VERSION}"
  license "Apache-2.0"

  depends_on :linux

  on_intel do
    url "@{DOWNLOADS}/tada-run_@{VERSION}_linux_amd64.tar.gz"
    sha256 "@{SHA256_AMD64}"
  end
  on_arm do
    url "@{DOWNLOADS}/tada-run_@{VERSION}_linux_arm64.tar.gz"
    sha256 "@{SHA256_ARM64}"
  end

  def install
    bin.install "bin/tada-run", "bin/tadactl"
    man1.install Dir["share/man/man1/*"]
    man5.install Dir["share/man/man5/*"]
    bash_completion.install Dir["share/bash-completion/completions/*"]
    zsh_completion.install Dir["share/zsh/site-functions/*"]
    fish_completion.install Dir["share/fish/vendor_completions.d/*"]
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/tada-run --version")
    assert_match "allow", shell_output("#{bin}/tada-run --home #{testpath}/state --check 'echo hi'")
  end
end

class AiAssist < Formula
  desc "Search over documents and code, packs without secrets and memory for AI agents"
  homepage "@HOME@"
  version "@VERSION@"
  license any_of: ["MIT", "Apache-2.0"]

  on_macos do
    on_arm do
      url "@URL@/ai-assist-@VERSION@-aarch64-apple-darwin.tar.gz"
      sha256 "@SHA256_AARCH64_APPLE_DARWIN@"
    end
    on_intel do
      url "@URL@/ai-assist-@VERSION@-x86_64-apple-darwin.tar.gz"
      sha256 "@SHA256_X86_64_APPLE_DARWIN@"
    end
  end
  on_linux do
    on_arm do
      url "@URL@/ai-assist-@VERSION@-aarch64-unknown-linux-musl.tar.gz"
      sha256 "@SHA256_AARCH64_UNKNOWN_LINUX_MUSL@"
    end
    on_intel do
      url "@URL@/ai-assist-@VERSION@-x86_64-unknown-linux-musl.tar.gz"
      sha256 "@SHA256_X86_64_UNKNOWN_LINUX_MUSL@"
    end
  end

  def install
    bin.install "ai-assist"
    generate_completions_from_executable(bin/"ai-assist", "completions")
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/ai-assist --version")
    system bin/"ai-assist", "quickstart"
  end
end

{
  description = "Search over documents and code, packs without secrets and memory for AI agents";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs = { self, nixpkgs }:
    let
      systems = [ "x86_64-linux" "aarch64-linux" "x86_64-darwin" "aarch64-darwin" ];
      each = f: nixpkgs.lib.genAttrs systems (system: f nixpkgs.legacyPackages.${system});
    in
    {
      packages = each (pkgs: {
        default = pkgs.rustPlatform.buildRustPackage {
          pname = "ai-assist";
          version = (builtins.fromTOML (builtins.readFile ./Cargo.toml)).workspace.package.version;
          src = self;
          cargoLock.lockFile = ./Cargo.lock;
          # The tests want git, ripgrep, a network on loopback and a home; scripts/test runs them.
          doCheck = false;
          meta = {
            description = "Search over documents and code, packs without secrets and memory for AI agents";
            license = with pkgs.lib.licenses; [ mit asl20 ];
            mainProgram = "ai-assist";
          };
        };
      });
      devShells = each (pkgs: {
        default = pkgs.mkShell { packages = with pkgs; [ cargo rustc clippy rustfmt cargo-nextest git ripgrep ]; };
      });
    };
}

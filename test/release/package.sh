#!/usr/bin/env bash
# Makes the packages of one system from what was built before: TARGETS says which, in the words of electron-builder. A release that
# says it is signed must not be made without a certificate: its packages would look for a signature that no update has.
set -euo pipefail

force=false
if [ "${CODE_SIGNED:-}" = yes ]; then
  case "$TARGETS" in
    --mac*)
      : "${CSC_LINK:?the certificate for macOS is missing}" "${APPLE_API_KEY:?the key for notarising is missing}"
      force=true
      ;;
    --win*)
      : "${CSC_LINK:?the certificate for Windows is missing}" "${PUBLISHER:?the name on that certificate is missing}"
      force=true
      ;;
  esac
else
  export CSC_IDENTITY_AUTO_DISCOVERY=false
fi

# electron-builder wants a file.
if [ -n "${APPLE_API_KEY:-}" ]; then
  key="$(mktemp)"
  trap 'rm -f "$key"' EXIT
  printf '%s' "$APPLE_API_KEY" >"$key"
  export APPLE_API_KEY="$key"
fi

# An empty variable is a certificate that cannot be found; one that is not there is not looked for.
for name in CSC_LINK CSC_KEY_PASSWORD APPLE_API_KEY APPLE_API_KEY_ID APPLE_API_ISSUER; do
  if [ -z "${!name:-}" ]; then unset "$name"; fi
done

# Names that say system and processor, without spaces: test/release/release.ts reads them.
# shellcheck disable=SC2016,SC2086
npx --no electron-builder --publish never $TARGETS "-c.forceCodeSigning=$force" \
  '-c.artifactName=${productName}-${version}-${os}-${arch}.${ext}'

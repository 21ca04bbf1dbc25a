/** What each release does, by its patch number: agent-vm.md, "Milestones". */
export function featuresOf(version) {
  const patch = Number(version.split('.')[2]);
  return {
    networkFlags: patch >= 16,
    allowHost: patch >= 18,
    bearerHandshake: patch >= 17,
    seedsMarker: patch >= 18,
    updateCheckInBackground: patch >= 20,
    identityCache: patch >= 20,
    certutilPrelude: patch <= 18,
    copilot: patch >= 24,
    guestProxy: patch >= 25,
    openCodeKeys: patch >= 28,
  };
}

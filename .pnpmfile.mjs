export const hooks = {
  /** A published package has no sources, so no condition of its entry points may lead to them. */
  beforePacking(manifest) {
    for (const entry of Object.values(manifest.exports ?? {})) delete entry['latchkey-source']
    return manifest
  },
}

const slugMaxLength = 63

/**
 * Returns a slug for a name, such as `sunline-home-energy-inc` for `Sunline Home Energy, Inc.`. Returns an
 * empty text if the name has no allowed character.
 */
export function proposeSlug(name: string): string {
  const words = name
    .replaceAll(/\p{M}/gu, '')
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/['’]/g, '')
    .replaceAll(/[^a-z0-9]+/g, '-')
  return words.replace(/^-/, '').slice(0, slugMaxLength).replace(/-$/, '')
}

const slugMaxLength = 63

/** The slug that suits a name: `Sunline Home Energy, Inc.` is `sunline-home-energy-inc`. Empty when nothing of the name can be in one. */
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

/** How a browser shows a file. */
export type PreviewKind = 'image' | 'pdf'

/** Types that browsers display without running scripts; excludes SVG and HTML. */
const kinds: Record<string, PreviewKind> = {
  'image/avif': 'image',
  'image/gif': 'image',
  'image/jpeg': 'image',
  'image/png': 'image',
  'image/webp': 'image',
  'application/pdf': 'pdf',
}

/** Returns the preview kind for a file type, or null. */
export const previewKindOf = (type: string): PreviewKind | null =>
  Object.hasOwn(kinds, type) ? kinds[type]! : null

/**
 * Returns the Content-Security-Policy of a displayed file: an image is drawn in a sandbox. Browsers show no
 * PDF in a sandbox; their viewers isolate its scripts from the page, and no page may frame it.
 */
export const previewPolicy = (kind: PreviewKind): string =>
  kind === 'image'
    ? "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; frame-ancestors 'none'"
    : "default-src 'none'; style-src 'unsafe-inline'; object-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** The way a browser displays a file. */
export type PreviewKind = 'image' | 'pdf'

/** Types that browsers display without running scripts. Excludes SVG and HTML. */
const kinds: Record<string, PreviewKind> = {
  'image/avif': 'image',
  'image/gif': 'image',
  'image/jpeg': 'image',
  'image/png': 'image',
  'image/webp': 'image',
  'application/pdf': 'pdf',
}

/** Returns how a browser displays a file of this type, or null if it should not. */
export const previewKindOf = (type: string): PreviewKind | null =>
  Object.hasOwn(kinds, type) ? kinds[type]! : null

/**
 * Returns the Content-Security-Policy for displaying a file. Images are sandboxed. Browsers do not display
 * PDFs in a sandbox, but their viewers isolate scripts in the PDF; the policy prevents pages from framing the
 * PDF.
 */
export const previewPolicy = (kind: PreviewKind): string =>
  kind === 'image'
    ? "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; frame-ancestors 'none'"
    : "default-src 'none'; style-src 'unsafe-inline'; object-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

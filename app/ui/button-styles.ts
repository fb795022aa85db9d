// A file of its own, because error pages load nothing else.
const base =
  'inline-flex items-center justify-center gap-2 touch rounded-lg px-3.5 font-medium whitespace-nowrap transition-colors disabled:opacity-60 print:hidden'

/** Styles of buttons and of links that look like buttons. Buttons are not printed. */
export const button = {
  primary: `${base} h-10 bg-accent text-on-accent hover:bg-accent-strong`,
  /** For buttons whose action cannot be undone. */
  danger: `${base} h-10 bg-bad text-surface hover:opacity-90`,
  plain: `${base} h-9 border border-line bg-surface text-ink hover:bg-sunken`,
  /** For buttons that open a confirmation dialog for such an action. */
  remove: `${base} h-9 border border-line bg-surface text-bad hover:bg-bad-soft`,
}

const text = 'Changed since your last visit'

/** Marks a deal that changed since the viewer's last visit. */
export const UnseenMark = ({ className }: { className: string }) => (
  <span title={text} className={`rounded-full bg-accent print:hidden ${className}`}>
    <span className="sr-only">{text}</span>
  </span>
)

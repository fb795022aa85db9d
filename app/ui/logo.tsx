/** The product's logo, the same as in app/icon.svg. */
export function Logo({ className }: { className?: string }) {
  return (
    <svg viewBox="0 0 32 32" aria-hidden="true" className={className}>
      <rect width="32" height="32" rx="8" fill="#12664f" />
      <circle cx="22" cy="9.5" r="3.5" fill="#ffc44d" />
      <path d="M9.5 14.5h11.2l4.3 10H5.2z" fill="#fff" />
      <path d="M7.4 19.5h15.4M15.1 14.5v10" stroke="#12664f" strokeWidth="1.5" />
    </svg>
  )
}

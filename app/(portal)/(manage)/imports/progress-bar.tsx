/** Shows a progress bar; `value` is between 0 and 1, or null if unknown. */
export function ProgressBar({ label, value }: { label: string; value: number | null }) {
  const percent = value === null ? undefined : Math.floor(value * 100)
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuenow={percent}
      className="h-2 overflow-hidden rounded-full bg-sunken"
    >
      <div
        className={`h-full rounded-full bg-accent transition-[width] ${percent === undefined ? 'w-1/4 animate-pulse' : ''}`}
        style={percent === undefined ? undefined : { width: `${percent}%` }}
      />
    </div>
  )
}

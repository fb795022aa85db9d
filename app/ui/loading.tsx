/** Shows that something is loading: `Loading deliveries…`. */
export const Loading = ({ what }: { what?: string }) => (
  <p role="status" className="text-ink-soft">
    {what === undefined ? 'Loading…' : `Loading ${what}…`}
  </p>
)

// Declares the types by hand, because inferring the types of 840 KB of JSON would add seconds to every type
// check.

declare module 'us-atlas/counties-10m.json' {
  import type { GeometryCollection, Topology } from 'topojson-specification'
  const atlas: Topology<{
    counties: GeometryCollection<{ name: string }>
    states: GeometryCollection<{ name: string }>
  }>
  export default atlas
}

declare module 'us-atlas/counties-albers-10m.json' {
  import type { GeometryCollection, Topology } from 'topojson-specification'
  const atlas: Topology<{
    counties: GeometryCollection<{ name: string }>
    states: GeometryCollection<{ name: string }>
  }>
  export default atlas
}

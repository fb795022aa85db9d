/** The parts of autocannon that the benchmark uses; it has no types. */
declare module 'autocannon' {
  interface Options {
    url: string
    connections: number
    /** In seconds. */
    duration: number
    /** How often it checks whether to stop, in milliseconds. */
    sampleInt: number
    headers: Record<string, string>
  }

  interface Result {
    /** In seconds. */
    duration: number
    errors: number
    requests: { total: number }
    statusCodeStats: Record<string, { count: number }>
  }

  export default function autocannon(options: Options): Promise<Result>
}

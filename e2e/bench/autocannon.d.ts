/** Types of the parts of autocannon that the benchmark uses. The package has no types. */
declare module 'autocannon' {
  interface Options {
    url: string
    connections: number
    /** Duration in seconds. */
    duration: number
    /** Interval in milliseconds for checking whether to stop. */
    sampleInt: number
    headers: Record<string, string>
  }

  interface Result {
    /** Duration in seconds. */
    duration: number
    errors: number
    requests: { total: number }
    statusCodeStats: Record<string, { count: number }>
  }

  export default function autocannon(options: Options): Promise<Result>
}

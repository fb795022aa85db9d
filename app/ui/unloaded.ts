/**
 * Returns whether an error means that part of the page could not be loaded, usually because of the
 * connection.
 */
export const isUnloaded = (error: unknown) =>
  error instanceof Error && /chunk/i.test(`${error.name} ${error.message}`)

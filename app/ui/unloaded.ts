/** Returns whether an error says that a part of the page could not be loaded, mostly because there is no connection. */
export const isUnloaded = (error: unknown) =>
  error instanceof Error && /chunk/i.test(`${error.name} ${error.message}`)

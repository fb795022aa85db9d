import { CommandError, asCommand } from '../runtime/command.ts'
import type { Runner } from '../runtime/runner.ts'
import type { Services } from '../runtime/services.ts'
import { type StoredSource, readSources } from './store.ts'

/** Options of source commands. */
export interface SourceFlags {
  json?: boolean
}

/** Returns the context for actions on sources. */
export const contextOf = (services: Services) => ({
  ...asCommand(services),
  encryptionKey: services.encryptionKey,
  hubspotUrl: services.config.hubspotUrl,
})

/** Runs the work on the source with this name. @throws CommandError if there is none */
export function forSource<T>(
  { withServices }: Runner,
  name: string,
  work: (services: Services, source: StoredSource) => Promise<T>,
): Promise<T> {
  return withServices(async (services) => {
    const source = (await readSources(services.db)).find((each) => each.name === name)
    if (source === undefined)
      throw new CommandError(`there is no source ${JSON.stringify(name)}; "source list" shows all`)
    return work(services, source)
  })
}

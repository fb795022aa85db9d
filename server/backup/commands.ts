import { existsSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { Command } from 'commander'
import { CommandError, command, withDatabase, type Runner } from '../runtime/command.ts'
import type { Config } from '../runtime/env.ts'
import { stringifyJson } from '../values/int64.ts'
import { type ReportProgress, makeBackup } from './make-backup.ts'
import type { Configured, Manifest } from './manifest.ts'
import { checkBackup, checkKey, restoreBackup } from './restore-backup.ts'
import { recordBackup } from './store.ts'

/** Adds the commands that back up and restore the system. */
export function addBackupCommands(program: Command, runner: Runner): void {
  addBackup(program, runner)
  addRestore(program, runner)
}

function addBackup(program: Command, runner: Runner): void {
  command(
    program,
    'backup <file>',
    'write the database, deal files and secrets to a new file, even while the system runs',
  ).action((file: string, { json }: { json?: boolean }) =>
    runner.withServices(async ({ db, config: { dataDir } }) => {
      const path = resolve(file)
      if (existsSync(path))
        throw new CommandError(`the file ${JSON.stringify(file)} already exists; choose another name`)
      if (!existsSync(dirname(path)))
        throw new CommandError(`there is no directory ${JSON.stringify(dirname(path))}`)
      const began = performance.now()
      const { about, manifest, sizeBytes } = await makeBackup(
        { db, dataDir, configured: configuredIn(runner.readConfig()) },
        path,
        progressTo(runner),
      )
      await recordBackup(db)
      report(runner, { file, sizeBytes, seconds: secondsSince(began), madeAt: about.madeAt, manifest }, json)
    }),
  )
}

function addRestore(program: Command, runner: Runner): void {
  command(program, 'restore <file>', 'restore a backup to an empty database that no system is using').action(
    async (file: string, { json }: { json?: boolean }) => {
      const began = performance.now()
      const config = runner.readConfig()
      const configured = configuredIn(config)
      if (!existsSync(file)) throw new CommandError(`there is no file ${JSON.stringify(file)}`)
      const backup = await checkBackup(file)
      await checkKey(backup, { dataDir: config.dataDir, configured })
      const leftOut = await withDatabase(config, runner.warn, (db) =>
        restoreBackup(backup, { db, dataDir: config.dataDir, configured }, progressTo(runner)),
      )
      for (const table of leftOut)
        runner.warn(`skipped ${JSON.stringify(table)}, which is not a table of Partner Deals`)
      report(
        runner,
        {
          file,
          sizeBytes: (await stat(file)).size,
          seconds: secondsSince(began),
          madeAt: backup.about.madeAt,
          manifest: backup.manifest,
        },
        json,
      )
    },
  )
}

const configuredIn = ({ authSecret, encryptionKey }: Config): Configured => ({
  AUTH_SECRET: authSecret,
  ENCRYPTION_KEY: encryptionKey,
})

const secondsSince = (began: number) => Math.round((performance.now() - began) / 100) / 10

const progressTo =
  ({ isTerminal, writeError }: Runner): ReportProgress =>
  (what, done) => {
    if (isTerminal) writeError(`\r\x1B[K${what} ${done.toLocaleString('en')}\r`)
  }

interface Outcome {
  file: string
  sizeBytes: number
  seconds: number
  madeAt: string
  manifest: Manifest
}

function report(
  runner: Runner,
  { manifest: { tables, files }, ...outcome }: Outcome,
  json: boolean | undefined,
): void {
  if (runner.isTerminal) runner.writeError('\x1B[K')
  if (json === true) {
    runner.print(
      stringifyJson({
        ...outcome,
        tables: tables.map(({ name, rows }) => ({ name, rows })),
        files: { count: files.count, sizeBytes: files.sizeBytes, missing: files.missing },
      }),
    )
    return
  }
  for (const { name, rows } of tables) runner.print(`${name}\t${rows}`)
  const rows = tables.reduce((sum, table) => sum + table.rows, 0)
  runner.print(
    `${tables.length} tables with ${rows} rows, ${files.count} files; ` +
      `${(outcome.sizeBytes / 1e6).toFixed(1)} MB in ${outcome.seconds} s`,
  )
  if (files.missing > 0)
    runner.warn(`${files.missing} files in the database were missing on disk when the backup was made`)
}

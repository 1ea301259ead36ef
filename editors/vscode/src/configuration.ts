// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The keys of launch.json that the adapter doesn't know, as those that it knows.
import * as fs from 'fs';
import * as path from 'path';
import { checks, devices, runtimes } from './tables';

export interface Configuration {
  type: string;
  request: string;
  name: string;
  [key: string]: unknown;
}

export class BadConfiguration extends Error {}

function asList(value: unknown, key: string): string[] {
  const list = typeof value === 'string' ? value.split(',').map(word => word.trim()) : value;
  if (!Array.isArray(list) || !list.every(word => typeof word === 'string'))
    throw new BadConfiguration(`'${key}' must be a list of strings.`);
  return (list).filter(word => word);
}

/** One process or file, or several. */
function words(value: unknown, key: string): string[] {
  const list: unknown[] = Array.isArray(value) ? value : [value];
  if (!list.every(word => typeof word === 'string' || Number.isInteger(word)))
    throw new BadConfiguration(`'${key}' must be processes, or core files.`);
  return list.map(String).filter(word => word);
}

function oneOf(value: string, key: string, known: string[]): string {
  if (!known.includes(value))
    throw new BadConfiguration(`'${key}' has no '${value}': it is one of ${known.join(', ')}.`);
  return value;
}

/** The environment as an object; the adapter also takes "NAME=value". */
function environment(value: unknown): Record<string, string> {
  if (!Array.isArray(value))
    return { ...(value as Record<string, string> | undefined) };
  const result: Record<string, string> = {};
  for (const entry of asList(value, 'env')) {
    const at = entry.indexOf('=');
    result[at < 0 ? entry : entry.slice(0, at)] = at < 0 ? '' : entry.slice(at + 1);
  }
  return result;
}

function set(name: string, value: string): string {
  // A setting that fails ends the launch; one that works says nothing.
  return `?!settings set plugin.process.amdgpu.${name} ${value}`;
}

/** The names of checks that a configuration asks for. */
export function checksOf(config: Configuration): string[] {
  return config.checks === undefined ? [] : asList(config.checks, 'checks').map(word => oneOf(word, 'checks', checks));
}

/** What the adapter is sent. Throws BadConfiguration, which says what is wrong. */
export function complete(config: Configuration): Configuration {
  const { gpu, runtime, core, ...rest } = config;
  const result: Configuration = { ...(rest as Configuration) };
  const commands: string[] = [];
  if (typeof gpu === 'string' && gpu) {
    if (devices.includes(gpu)) {
      commands.push(set('device', gpu));
    } else if (/^gfx[0-9a-f]+(,gfx[0-9a-f]+)*$/.test(gpu)) {
      commands.push(set('device', 'simulated'));
      result.env = { ...environment(config.env), WAVELANE_PROCESSOR: gpu };
    } else {
      throw new BadConfiguration(`'gpu' has no '${gpu}': it is ${devices.join(', ')}, or the names of GPUs such as gfx90a.`);
    }
  }
  if (typeof runtime === 'string' && runtime)
    commands.push(set('runtime', oneOf(runtime, 'runtime', runtimes)));
  const wanted = checksOf(config);
  if (wanted.length)
    commands.push(set('check', wanted.join(',')));
  delete result.checks;
  if (commands.length)
    result.initCommands = [...commands, ...asList(config.initCommands ?? [], 'initCommands')];
  if (core)
    result.coreFile = core;
  if (typeof config.pid === 'string' && config.pid) {
    if (!/^\d+$/.test(config.pid))
      throw new BadConfiguration(`'pid' is '${config.pid}': it must be a number.`);
    result.pid = Number(config.pid);
  }
  if (config.job !== undefined)
    result.job = config.request === 'attach' ? words(config.job, 'job') : asList(config.job, 'job');
  const has = (key: string): boolean => config[key] !== undefined && config[key] !== '';
  if (config.request === 'launch' && !has('program') && !has('launchCommands'))
    throw new BadConfiguration("'program' is missing: the file to debug.");
  if (config.request === 'attach' && !['pid', 'program', 'job', 'core', 'coreFile', 'attachCommands', 'gdb-remote-port', 'session'].some(has))
    throw new BadConfiguration("Say what to attach to: 'pid', 'program' with 'waitFor', 'job', or 'core'.");
  // A session with checks is known by this key, which the adapter ignores.
  if (wanted.length)
    result.hasChecks = true;
  return result;
}

/**
 * Checks what complete() has made. Throws BadConfiguration, which says what to do, if a file isn't there.
 * It is for the time when a task that builds the program has run.
 */
export function checkFiles({ program, coreFile }: Configuration): void {
  // A name alone may be that of a process to wait for.
  const isMissing = (file: unknown): file is string => typeof file === 'string' && path.isAbsolute(file) && !fs.existsSync(file);
  if (isMissing(program))
    throw new BadConfiguration(`'program' is '${program}', which isn't there: build it, or correct launch.json.`);
  if (isMissing(coreFile))
    throw new BadConfiguration(`'core' is '${coreFile}', which isn't there: correct launch.json.`);
}

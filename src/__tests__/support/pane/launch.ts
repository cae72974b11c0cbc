import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import * as z from 'zod/mini';

import type { Launch } from './protocol';

export interface LaunchOptions {
  /** Output of `vici build`: `<command>.js`, `package.json`, `assets/`. */
  bundleDir: string;
  /** Name of the command in the manifest. Default `chat`. */
  command?: string;
  /** The extension's folder for files; shared by launches that should see the same store. Must exist. */
  supportPath: string;
  /** Over the defaults that the manifest gives. */
  preferences?: Record<string, unknown>;
  arguments?: Record<string, string>;
  /** Text of root search when the command runs as a fallback: in the props, and 300 ms later as a search-text event. */
  fallbackText?: string;
  launchType?: 'userInitiated' | 'background';
}

const PreferencesSchema = z.optional(
  z.array(z.object({ name: z.string(), default: z.optional(z.unknown()) })),
);
const ManifestSchema = z.object({
  name: z.string(),
  author: z.string(),
  preferences: PreferencesSchema,
  commands: z.array(
    z.object({ name: z.string(), mode: z.string(), preferences: PreferencesSchema }),
  ),
});

/** What the worker needs to start the command; throws when the built manifest has no such command. */
export function launchOf(options: LaunchOptions): Omit<Launch, 'projectDir'> {
  const { bundleDir, command = 'chat', supportPath, launchType = 'userInitiated' } = options;
  const manifest = ManifestSchema.parse(
    JSON.parse(readFileSync(join(bundleDir, 'package.json'), 'utf8')),
  );
  const entry = manifest.commands.find((each) => each.name === command);
  if (!entry) throw new Error(`The manifest in ${bundleDir} has no command "${command}".`);
  const preferences: Record<string, unknown> = {};
  for (const preference of [...(manifest.preferences ?? []), ...(entry.preferences ?? [])])
    if (preference.default !== undefined) preferences[preference.name] = preference.default;
  return {
    bundlePath: join(bundleDir, `${command}.js`),
    environ: {
      supportPath,
      assetsPath: join(bundleDir, 'assets'),
      extensionName: manifest.name,
      ownerOrAuthorName: manifest.author,
      commandName: command,
      commandMode: entry.mode,
      launchType,
      isDevelopment: false,
      appearance: 'dark', // this one and the next are fixed in the launcher's host
      textSize: 'medium',
      isRaycast: false,
      vicinaeVersion: { tag: 'v0.26.3', commit: '98b62a1db' },
    },
    preferences: { ...preferences, ...options.preferences },
    launchProps: {
      launchType,
      arguments: options.arguments ?? {},
      fallbackText: options.fallbackText,
    },
  };
}

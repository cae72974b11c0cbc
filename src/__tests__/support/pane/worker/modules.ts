import Module, { createRequire } from 'node:module';
import { join } from 'node:path';

import type { Launch } from '../protocol';
import type { HostConfig, Reconciler } from './host-config';

/** The parts of `@vicinae/api` that the host drives or corrects. */
interface Api {
  bus: {
    request: (endpoint: string, data: unknown) => Promise<unknown>;
    handleSafeMessage: (message: unknown) => void;
    sendMessage: (message: unknown) => void;
  };
  NavigationProvider: unknown;
  LocalStorage: { getItem: (key: string) => Promise<unknown> };
  Toast: { prototype: object };
  Action: Record<string, unknown>;
  open: (target: string) => Promise<void>;
  closeMainWindow: () => Promise<void>;
}

export interface ReactModules {
  createElement: (type: unknown, props: unknown) => unknown;
  createContext: (value: unknown) => unknown;
  createReconciler: (config: HostConfig) => Reconciler;
  defaultPriority: number;
}

export interface LoadedModules {
  react: ReactModules;
  api: Api;
  /** `dist/api/preference.js` of the package: exports a stub that the launcher's own API fills. */
  preference: Record<string, unknown>;
}

/**
 * Loads React and the API the way the launcher's host does (one copy, injected into the bundle by
 * an override of `require`; production React, `NODE_ENV` set only while it loads) and installs the override.
 * The bundle's API lacks `bus` and `NavigationProvider`: the launcher's own API does not have them.
 */
export function loadModules(launch: Launch): LoadedModules {
  const load = createRequire(join(launch.projectDir, 'package.json'));
  process.env.NODE_ENV = 'production';
  /* eslint-disable @typescript-eslint/no-unsafe-assignment, @typescript-eslint/no-unsafe-member-access -- require() is untyped; the interfaces above say what is used */
  const react = load('react');
  const jsxRuntime = load('react/jsx-runtime');
  const createReconciler: ReactModules['createReconciler'] = load('react-reconciler');
  const defaultPriority: number = load('react-reconciler/constants').DefaultEventPriority;
  const api: Api & object = load('@vicinae/api');
  const preference: LoadedModules['preference'] = load('@vicinae/api/dist/api/preference.js');
  const createElement: ReactModules['createElement'] = react.createElement;
  const createContext: ReactModules['createContext'] = react.createContext;
  /* eslint-enable @typescript-eslint/no-unsafe-assignment, @typescript-eslint/no-unsafe-member-access */
  delete process.env.NODE_ENV;

  overrideRequire(
    new Map<string, unknown>([
      ['react', react],
      ['react/jsx-runtime', jsxRuntime],
      ['@vicinae/api', without(api, ['bus', 'NavigationProvider'])],
    ]),
  );
  return {
    react: { createElement, createContext, createReconciler, defaultPriority },
    api,
    preference,
  };
}

/** The same live exports, fewer of them: the package's exports are getters, and some are replaced later. */
function without(exports: object, names: string[]): object {
  const descriptors = Object.entries(Object.getOwnPropertyDescriptors(exports));
  return Object.defineProperties(
    {},
    Object.fromEntries(descriptors.filter(([name]) => !names.includes(name))),
  );
}

function overrideRequire(overrides: Map<string, unknown>): void {
  const original: unknown = Reflect.get(Module, '_load');
  if (typeof original !== 'function') throw new Error('This Node has no Module._load to override.');
  Reflect.set(Module, '_load', function load(this: unknown, request: string, ...rest: unknown[]) {
    const own = overrides.get(request);
    if (own !== undefined) return own;
    return Reflect.apply(original, this, [request, ...rest]) as unknown;
  });
}

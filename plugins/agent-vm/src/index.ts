import {definePlugin, defineRuntime} from 'bootcut/plugin';
import {adoptIdentity} from './adopt-identity.js';
import {launchVerbs, passThroughVerbs} from './command.js';
import {derivePhases} from './derive-phases.js';
import {diagnose} from './diagnose.js';
import {planLaunch} from './plan-launch.js';
import {optionFlags} from './scan-arguments.js';
import {imageUpdatables} from './updatables.js';
import {versionLookup} from './version-lookup.js';

export {type StateRoot, stateRoot} from './state-root.js';

/** agent-vm's microVMs: the native launcher is run in place, and spared what its release lets us spare it. */
export default definePlugin({
  name: 'agent-vm',
  steps: [versionLookup],
  diagnose,
  runtimes: [
    defineRuntime({
      name: 'agent-vm',
      verbs: [...launchVerbs, ...passThroughVerbs, 'agent-vm'],
      uses: ['git-identity/github', 'git-identity/git', 'agent-vm/version'],
      flags: optionFlags,
      plan: planLaunch,
      updatables: imageUpdatables,
      phases: derivePhases,
      adopt: (launch) => Promise.resolve(adoptIdentity(launch)),
    }),
  ],
});

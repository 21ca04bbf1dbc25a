import {definePlugin, defineRuntime, gitIdentityEdits} from 'bootcut/plugin';
import {counterLookup} from './counter-lookup.js';
import {diagnose} from './diagnose.js';
import {emulatorLookup} from './emulator-lookup.js';
import {etcLookup} from './etc-lookup.js';
import {guestFlagNames} from './flags.js';
import {kvmLookup} from './kvm-lookup.js';
import {phases} from './phases.js';
import {planLaunch} from './plan-launch.js';
import {verbs} from './verbs.js';

/** bootcut's own microVM: QEMU's `microvm` machine with the host's programs read-only and the project read-write. */
export default definePlugin({
  name: 'qemu',
  diagnose,
  steps: [emulatorLookup, counterLookup, kvmLookup, etcLookup],
  runtimes: [
    defineRuntime({
      name: 'qemu',
      verbs,
      uses: [
        ...['qemu/emulator', 'qemu/counter', 'qemu/kvm', 'qemu/etc'],
        ...['git-identity/github', 'git-identity/git'],
      ],
      flags: guestFlagNames,
      plan: planLaunch,
      late: (launch, answers) => gitIdentityEdits(launch, answers['git-identity']),
      timeline: true,
      phases,
    }),
  ],
});

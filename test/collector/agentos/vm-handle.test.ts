import { expect, test } from 'vitest';
import { vmHandleOf } from '../../../src/collector/agentos/vm-handle.ts';
import { FakeVm } from '../../support/agentos-vm.ts';

function withoutPart(...names: string[]): object {
  const vm = new FakeVm().agentOs;
  const last = names.pop() ?? '';
  const holder = names.reduce<object>((part, name) => Reflect.get(part, name), vm);
  Reflect.deleteProperty(holder, last);
  return vm;
}

test.each([
  ['nothing', null, '_sidecarClient.getProcessSnapshot'],
  ['something else', { process: {} }, '_sidecarClient.getProcessSnapshot'],
  ['another client', withoutPart('_sidecarClient', 'getResourceSnapshot'), 'getResourceSnapshot'],
  ['no events', withoutPart('_sidecarClient', 'onEvent'), '_sidecarClient.onEvent'],
  ['no session', withoutPart('_sidecarSession'), '_sidecarSession'],
  ['no id', withoutPart('_sidecarVm', 'vmId'), '_sidecarVm.vmId'],
])('%s is refused, and what is missing named', (_, vm, missing) => {
  expect(() => vmHandleOf(vm)).toThrowError(
    expect.objectContaining({
      code: 'AGENTOS_NOT_USABLE',
      message: expect.stringContaining(missing),
      hint: expect.stringContaining('0.2.21'),
    }),
  );
});

test('a VM whose sidecar has ended is refused', () => {
  const vm = new FakeVm();
  vm.child.signalCode = 'SIGKILL';
  expect(() => vmHandleOf(vm.agentOs)).toThrowError(
    expect.objectContaining({ code: 'AGENTOS_NOT_USABLE' }),
  );
});

test('a VM that was disposed of is refused where it was the only one', () => {
  const vm = new FakeVm();
  vm.vmCount = 0;
  expect(() => vmHandleOf(vm.agentOs)).toThrowError(
    expect.objectContaining({ code: 'AGENTOS_NOT_USABLE' }),
  );
});

test('without the child, the count and the descriptors it is a VM all the same', async () => {
  const vm = withoutPart('_sidecarClient', 'protocolClient');
  Reflect.deleteProperty(vm, 'sidecar');
  Reflect.deleteProperty(vm, 'process');
  const handle = vmHandleOf(vm);
  expect(handle.sidecar).toBeNull();
  expect(handle.vmCount()).toBeNull();
  expect(await handle.startedProcess(1_000_000)).toBeNull();
});

test('a process that another client started is not known', async () => {
  expect(await vmHandleOf(new FakeVm().agentOs).startedProcess(1_000_000)).toBeNull();
});

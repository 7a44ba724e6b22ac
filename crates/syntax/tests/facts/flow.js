/**
 * @flow strict-local
 */
import type {Node} from './types';
import {render} from './render';

export type Props = {+name: string, size?: ?number};

export function first(a: ?number, names: Array<string> = []): ?string {
  const found: ?string = names[0];
  return found;
}

export const second = (props: Props): Node => {
  if (props.size != null) {
    return render((props.name: any));
  }
  return render(props.name);
};

function third<T>(value: T, next: (value: T) => void): T {
  next(value);
  next(value);
  next(value);
  next(value);
  return value;
}

export default class Store {
  +name: string;
  static made: number = 0;

  open(path: string): Promise<void> {
    return third(path, () => {});
  }
}

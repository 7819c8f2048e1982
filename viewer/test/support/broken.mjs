// Pages whose data is whole as a stream but wrong in what it says.
import { Body, emptyHeader, pack } from "./encode.mjs";

export function encodeBroken(change) {
  const body = new Body();
  return pack({ ...emptyHeader(body, [0, 0.1, 0.2]), ...change }, body);
}

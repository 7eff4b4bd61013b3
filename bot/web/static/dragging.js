// A checker under the pointer: lifted, carried, put down; or only tapped.

const FAR = 8; // pixels; less is a tap

export function inBoard(facing, event) {
  return new DOMPoint(event.clientX, event.clientY).matrixTransform(facing.getScreenCTM().inverse());
}

export function under(event, target) {
  return document.elementsFromPoint(event.clientX, event.clientY).find((each) => each.matches?.(target));
}

// A finger on what `holds` does not scroll the page. (touch-action is not heeded inside a picture.)
export function hold(part, holds) {
  part.addEventListener("touchstart", (event) => { if (holds(event.target)) event.preventDefault(); }, { passive: false });
}

// `lift(source)` gives the picture of what is carried, or nothing; `drop(source, target, event)` may get no target.
export function carry(down, source, { target, lift, tap, drop }) {
  const facing = source.parentNode;
  let carried = null, moved = false;
  const move = (event) => {
    if (event.pointerId !== down.pointerId) return; // another finger
    if (!moved && Math.hypot(event.clientX - down.clientX, event.clientY - down.clientY) < FAR) return;
    if (!moved) {
      moved = true;
      carried = lift(source);
      carried?.classList.add("carried");
      if (carried) facing.append(carried);
    }
    if (!carried) return;
    const at = inBoard(facing, event);
    carried.setAttribute("transform", `translate(${at.x} ${at.y})`);
  };
  const end = (event) => {
    if (event.pointerId !== down.pointerId) return;
    removeEventListener("pointermove", move);
    removeEventListener("pointerup", end);
    removeEventListener("pointercancel", end);
    carried?.remove();
    if (moved) drop(source, event.type === "pointercancel" ? undefined : under(event, target), event);
    else if (event.type === "pointercancel") return;
    else tap(source);
  };
  addEventListener("pointermove", move);
  addEventListener("pointerup", end);
  addEventListener("pointercancel", end);
}

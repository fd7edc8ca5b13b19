#pragma once

using Class = struct objc_class*;
using id = struct objc_object*;
using SEL = struct objc_selector*;
using BOOL = bool;

extern "C" {
Class objc_getClass(const char*);
SEL sel_registerName(const char*);
}
